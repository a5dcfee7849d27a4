// Reads JSON from standard input, strictly, and prints the value at a path: keys and indices.
//
//   json_value runs 0 result

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    json_error_t error;
    json_t* root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        (void)fprintf(stderr, "line %d: %s\n", error.line, error.text);
        return 1;
    }
    const json_t* value = root;
    for (int i = 1; i < argc && value != NULL; i++)
        value = json_is_array(value) ? json_array_get(value, strtoul(argv[i], NULL, 10))
                                     : json_object_get(value, argv[i]);
    if (json_is_string(value))
        (void)puts(json_string_value(value));
    else if (value != NULL)
        (void)(json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT), puts(""));
    json_decref(root);
    return value != NULL ? 0 : 1;
}
