/** Which version of the program runs (contract api-rest.md §11.1). */
import { Context } from "effect"

/** Version of the package, and the line about its commit. */
export class Build extends Context.Service<Build, { readonly version: string; readonly git_version: string }>()(
  "switchyard/http/ports/Build"
) {}
