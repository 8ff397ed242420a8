/** The program of the thread for long renderings. */
import { Effect } from "effect"
import { serve } from "../runtime/ThreadProgram.ts"
import { makeAnswering, RenderRpc } from "./RenderRpc.ts"

const answer = makeAnswering()

serve(RenderRpc, RenderRpc.toLayer({ Render: ({ request }) => Effect.sync(() => answer(request)) }))
