/** The damage that the error of a failed read reports. */
export interface ReadDamage {
  /** The end of the part's folder, `/store/<3 hex>/<table uuid>/<part>/`; null when the engine does not name it. */
  readonly partPath: string | null
  /** The error message of the engine. */
  readonly message: string
}

/**
 * Error codes of the engine (its ErrorCodes.cpp). All but the first three were observed when files of a part were
 * flipped at many places, truncated, emptied, zeroed and removed while the store was open. They count only when the
 * message names a part, because some have other causes too.
 */
const WITH_PART: ReadonlySet<number> = new Set([
  74, // CANNOT_READ_FROM_FILE_DESCRIPTOR: the error of a bad sector
  226, // NO_FILE_IN_DATA_PART
  271, // CANNOT_DECOMPRESS
  32, // ATTEMPT_TO_READ_AFTER_EOF
  33, // CANNOT_READ_ALL_DATA
  40, // CHECKSUM_DOESNT_MATCH
  107, // FILE_DOESNT_EXIST
  246, // CORRUPTED_DATA
  432, // UNKNOWN_CODEC: the first bytes of a block
  1001, // STD_EXCEPTION: the file system's, of a file of marks that is gone
])

/** Observed without the name of a part, when a text index was truncated or zeroed. */
const WITHOUT_PART: ReadonlySet<number> = new Set([32, 33, 40, 246])

const PART_PATH = /\/store\/[0-9a-f]{3}\/[0-9a-f-]{36}\/[^/\s"']+\//

/** Null for every other failure. */
export function damageOf(error: unknown): ReadDamage | null {
  const code = engineCode(error)
  if (code === null) return null
  const { message } = error as Error
  const partPath = PART_PATH.exec(message)?.[0] ?? null
  return (partPath === null ? WITHOUT_PART : WITH_PART).has(code) ? { partPath, message } : null
}

/** NO_SUCH_DATA_PART: a merge or a mutation has replaced the part. */
export function isPartGone(error: unknown): boolean {
  return engineCode(error) === 232
}

function engineCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('clickhouseCode' in error)) return null
  return typeof error.clickhouseCode === 'number' ? error.clickhouseCode : null
}
