/** The permitted forms of an error answer of the API. */

/** The error envelope, with one of the shapes that a message has. */
export const isEnvelope = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  "status" in body &&
  body.status === "error" &&
  "message" in body &&
  (typeof body.message === "string" ||
    (Array.isArray(body.message) && body.message.every((text) => typeof text === "string")) ||
    (typeof body.message === "object" && body.message !== null && "errors" in body.message))

/** A 500: the settings or a device behind the API cannot be read. */
export const isDocumented500 = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  "message" in body &&
  /^(Error getting settings|Error in settings repo|Exception while generating config|Exception: ConnectionException|Failed to get LLDP neighbors|Could not bounce ports|Exception in pre_init_checks|\/dev\/null\/rootCA)/.test(
    String(body.message)
  )
