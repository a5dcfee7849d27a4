# Writes OUTPUT, a C file in which each of FILES, which are NAME=PATH, is an array of characters
# that ends with a zero: NAME. HEADER declares them.
#
# cmake -DOUTPUT= -DHEADER= -DFILES=NAME=PATH;NAME=PATH -P embed.cmake

set(text "#include \"${HEADER}\"\n")
foreach(pair IN LISTS FILES)
    string(REGEX MATCH "^([^=]+)=(.+)$" pair "${pair}")
    file(READ "${CMAKE_MATCH_2}" bytes HEX)
    set(name "${CMAKE_MATCH_1}")
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "\nconst char ${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
