/* SPDX-License-Identifier: MIT */
/* The name of the entry, but of a function. */
extern __attribute__((visibility("default"))) int weir_plugin_entry_v1(void);
int weir_plugin_entry_v1(void)
{
    return 1;
}
