/// The files of report/, which the build puts into the program (cmake/embed.cmake).
#pragma once

extern const char report_files_css[];
extern const char report_files_js[];
