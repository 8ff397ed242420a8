/** `g` and a letter lead to a screen; not while somebody types. */
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
    // not 0: that is a moment at which the page began, so that a `j` right after it would leap
    let asked = Number.NEGATIVE_INFINITY
    const heard = (event: KeyboardEvent) => {
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
    window.addEventListener("keydown", heard)
    return () => window.removeEventListener("keydown", heard)
  }, [router])
}
