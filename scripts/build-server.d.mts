/** Brings the bundle of the server up to date. */
export declare const bringServerUpToDate: () => Promise<void>
