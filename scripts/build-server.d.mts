/** Brings the page up to date. Two who do it at once do it twice, and the last one counts. */
export declare const bringPageUpToDate: () => Promise<void>
