/**
 * The return from the site's provider: the server has set a cookie that no script reads, and sends the browser to `/ui/signed-on`
 * (docs/sign-on.md#the-page). Nothing in that address is trusted. The page continues at the address that this tab had before.
 */
const PATH = "/ui/signed-on"
const BEGAN = "switchyard.signing-on"

/** Stores the address of this tab before it leaves for the provider. */
export const leaveForProvider = (): void => {
  sessionStorage.setItem(BEGAN, `${location.pathname}${location.search}`)
}

/** Returns to the stored address. */
export const comeBack = (): void => {
  if (location.pathname !== PATH) return
  const began = sessionStorage.getItem(BEGAN)
  sessionStorage.removeItem(BEGAN)
  history.replaceState(null, "", began?.startsWith("/ui/") === true && !began.startsWith(PATH) ? began : "/ui/")
}
