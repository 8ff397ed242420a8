/** The program of the threads that check posted settings. */
import { Effect } from "effect"
import { serve } from "../../runtime/ThreadProgram.ts"
import { checkPost, CheckRpc } from "./PostedSettings.ts"

serve(CheckRpc, CheckRpc.toLayer({ Check: (post) => Effect.suspend(() => Effect.fromResult(checkPost(post))) }))
