"""What people do with the library, whoever asks for it: answer a page, start, resume, find, score and export runs.

Stands between the doors (command line, web, MCP server) and the library. A door turns words into the values of this
package and prints what comes back; nothing here prints, or knows the name of a flag.
"""
