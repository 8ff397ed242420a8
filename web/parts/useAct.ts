/** Runs an action on the server, with whether it is under way and why it failed. */
import { useState } from "react"

export const useAct = () => {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  /** Returns whether it succeeded. */
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setError(null)
    try {
      await act()
      return true
    } catch (cause) {
      setError(cause)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, error, run, clear: () => setError(null) }
}
