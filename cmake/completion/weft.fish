# Completion of the program weft for fish, which prints it itself.
weft completion fish 2>/dev/null | source
