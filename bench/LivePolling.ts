/** Of so many sockets one fetches what it hears by requests, because something on its way lets no websocket through. */
export const POLLING = 10
