/**
 * Coming back from the site's provider: the server has set a cookie that no script reads, and sends the browser to `/ui/signed-on`
 * (docs/sign-on.md#the-page). Nothing in that address counts. The page goes on where this tab was.
 */
const PATH = "/ui/signed-on"
const BEGAN = "switchyard.signing-on"

/** Notes where this tab is before it leaves for the provider. */
export const leaveForProvider = (): void => {
  sessionStorage.setItem(BEGAN, `${location.pathname}${location.search}`)
}

/** Goes back to where this tab was. */
export const comeBack = (): void => {
  if (location.pathname !== PATH) return
  const began = sessionStorage.getItem(BEGAN)
  sessionStorage.removeItem(BEGAN)
  history.replaceState(null, "", began?.startsWith("/ui/") === true && !began.startsWith(PATH) ? began : "/ui/")
}
