/** Most bytes that the temporary files of a plane take together: as much as the listener of this unit allows. */
export const temporaryFileLimit = { bytes: 2 ** 30 };
