/** Which names and addresses are this machine itself: for listeners, and for what requests say of where they go. */

/** Whether an address or a name (without a port) is this machine, where nobody else reaches it. */
export const isLoopback = (host: string): boolean =>
  host === "::1" || /^(?:[^:]+\.)?localhost\.?$/i.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The host of a `Host` header, without its port and brackets: `::1` of `[::1]:5000`. */
export const hostOf = (authority: string): string =>
  authority.startsWith("[") ? authority.slice(1).split("]", 1).join("") : authority.replace(/:\d*$/, "")
