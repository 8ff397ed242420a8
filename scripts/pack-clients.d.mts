/** Puts the packages of the clients into a folder and gives their names: npm's, Python's source, and the wheel if there is a Python. */
export declare const packClients: (folder: string) => ReadonlyArray<string>
