// A shared object that is no module.
int weft_no_table(void);

int weft_no_table(void) {
    return 1;
}
