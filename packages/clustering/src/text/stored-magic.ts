/**
 * The first four characters of a project's stored basis or frame, by who made it. Another layout gets another digit.
 */
export const STORED_MAGIC = { builtin: 'SPE2', olderBuiltin: 'SPE1', endpoint: 'SPV1' } as const
