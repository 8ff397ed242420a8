/**
 * Coming back from the site's provider: the server sends the browser to `/ui/signed-on?token=…` (docs/sign-on.md#the-page). The token is
 * kept, and taken out of the address before anything is shown. It counts only in a tab that has asked for it: otherwise a link could
 * sign somebody on as somebody else.
 */
import { keepRenewable } from "../api/token.ts"

const PATH = "/ui/signed-on"
const BEGAN = "switchyard.signing-on"
const REFUSED = "switchyard.signed-on-unasked"

/** Notes where this tab is before it leaves for the provider. */
export const leaveForProvider = (): void => {
  sessionStorage.setItem(BEGAN, `${location.pathname}${location.search}`)
}

/** Takes the token out of the address, if there is one. */
export const comeBack = (): void => {
  if (location.pathname !== PATH) return
  const token = new URLSearchParams(location.search).get("token")
  const began = sessionStorage.getItem(BEGAN)
  sessionStorage.removeItem(BEGAN)
  const isAsked = token !== null && token !== "" && began !== null
  if (isAsked) keepRenewable(token)
  else sessionStorage.setItem(REFUSED, "yes")
  history.replaceState(null, "", began?.startsWith("/ui/") === true && !began.startsWith(PATH) ? began : "/ui/")
}

/** Whether a token came that this tab has not asked for; says so once. */
export const cameUnasked = (): boolean => {
  const found = sessionStorage.getItem(REFUSED) !== null
  sessionStorage.removeItem(REFUSED)
  return found
}
