/** `windows.yml` in DATA_DIR (docs/windows.md). Without a file everything may change at any time. */
import { Context, type Effect, Layer } from "effect"
import { readWindows, type WindowRules } from "../domain/access/WindowFile.ts"
import { type InForce, makeFileInForce } from "./FileInForce.ts"

const make = makeFileInForce({ name: "windows.yml", what: "windows", read: readWindows })

/** The windows in force. */
export class ChangeWindows extends Context.Service<
  ChangeWindows,
  { readonly inForce: Effect.Effect<InForce<WindowRules>> }
>()("switchyard/access/ChangeWindows") {
  /** Fails with RulesUnusable. */
  static readonly layer = Layer.effect(ChangeWindows, make)
}
