/** What the operating system refused, by its code, such as `ENOENT` or `EACCES`. Errors of Node carry it; nothing else is asked of them. */

/** The code of an error of the operating system; undefined for any other error. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** Whether a file or folder is not there. One that may not be read is there. */
export const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT"
