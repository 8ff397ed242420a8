/** Settings and templates in force, and the renderer, as one layer. All rooms use this layer, so that they share its caches. */
import { Layer } from "effect"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import { ActiveTemplates } from "./ActiveTemplates.ts"
import { Renderer } from "./Renderer.ts"
import { UndefinedPrints } from "./UndefinedPrints.ts"

export const layer = UndefinedPrints.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ActiveSettings.layer, ActiveTemplates.layer)),
  Layer.provideMerge(Renderer.layer)
)
