/** Brings up to date what is built: the bundle of the server and the page. */
import { bringPageUpToDate } from "./build-page.mjs"
import { bringServerUpToDate } from "./build-server.mjs"

await bringServerUpToDate()
await bringPageUpToDate()
