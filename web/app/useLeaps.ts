/** `g` and a letter open a screen, except while the user types in a field. */
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { screens } from "./screens.ts"

/** Milliseconds between the two keys. */
const PATIENCE = 1500

/** Whether keys go into a field. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) ||
    target.closest("[role=dialog]") !== null)

export const useLeaps = (): void => {
  const router = useRouter()
  useEffect(() => {
    // not 0: the page begins at that moment, so that a `j` right after it would open a screen
    let asked = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      if (event.key === "g") {
        asked = performance.now()
        return
      }
      if (performance.now() - asked > PATIENCE) return
      asked = Number.NEGATIVE_INFINITY
      const screen = screens.find(({ leap }) => leap === event.key)
      if (screen === undefined) return
      event.preventDefault()
      router.history.push(`/ui${screen.path}`)
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [router])
}
