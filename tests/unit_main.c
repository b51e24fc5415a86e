/* SPDX-License-Identifier: MIT */
/* Runs the suite of one unit test program, each test in a process of its own (Check forks). */
#include "unit.h"

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
