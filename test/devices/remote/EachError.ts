/** One error of every class that an operation can fail with, by the operation. */
import * as Errors from "../../../src/devices/DriverErrors.ts"

const at = { hostname: "acc-b2-01", address: "10.66.0.1" }
const { hostname } = at
const rejected = [{ lineNumber: 7, line: "username x secret ***", answer: "% Invalid input at line 7" }]

const connection = new Errors.ConnectionException({ ...at, whileDoing: "handshake", message: "reset" })
const timeout = new Errors.CommandTimeout({ hostname, command: "show version", seconds: 0.3, message: "no prompt" })

/** Of `open`. */
export const connectErrors = [
  connection,
  timeout,
  new Errors.ConnectAuthError({ ...at, message: "not privileged" }),
  new Errors.HostKeyChanged({ ...at, expected: "SHA256:a", seen: "SHA256:b" })
]

/** Of `load`. */
export const loadErrors = [
  connection,
  timeout,
  new Errors.CommandRejected({ hostname, command: "reload", message: "% Denied" }),
  new Errors.UnexpectedAnswer({ hostname, command: "show version", message: "no JSON" }),
  new Errors.SessionLockedException({ hostname, session: "operator", message: "in use" }),
  new Errors.ReplaceConfigException({ hostname, rejected, message: "rejected" }),
  new Errors.MergeConfigException({ hostname, rejected, message: "rejected" })
]

/** Of `commit`. */
export const commitErrors = [
  connection,
  timeout,
  new Errors.CommitError({ hostname, session: "job412", message: "% a timer runs" })
]
