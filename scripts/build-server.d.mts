/** Brings the bundle of the server up to date. */
export declare const bringServerUpToDate: () => Promise<void>

/** The bundle of a program that tests start. */
export declare const bundleOfTestProgram: (program: string) => string

/** Brings that bundle up to date. */
export declare const bringTestProgramUpToDate: (program: string) => Promise<void>

/** A plugin for tests: threads and processes begin with the bundle. */
export declare const threadsOfBundle: { readonly name: string; readonly load: (id: string) => unknown }
