# Completion of the program weft for bash, which prints it itself.
eval "$(weft completion bash 2>/dev/null)"
