/** A server with a driver of your own: `node server.ts` in place of `switchyard serve`. Settings, signals and exit codes are the same. */
import { serve } from "@switchyard/server"
import { folders } from "./folder.ts"

serve([folders(process.env["SWITCH_FOLDERS"] ?? "switches")])
