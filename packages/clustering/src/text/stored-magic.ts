/** The first four characters of what a project's traces are embedded by, by who made it; another layout gets another digit. */
export const STORED_MAGIC = { builtin: 'SPE2', olderBuiltin: 'SPE1', endpoint: 'SPV1' } as const
