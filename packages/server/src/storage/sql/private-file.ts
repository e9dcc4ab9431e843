import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { OperatorError } from '../../lib/operator-error.ts'

const OWN_ACCOUNT_ONLY = 0o600
const OTHER_ACCOUNTS = 0o077

/** Creates an empty file that only its owner can read and write. An existing file is not changed. */
export function createPrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWN_ACCOUNT_ONLY))
}

/** Removes the rights of all other accounts from a file, if it exists. Throws OperatorError if it may not. */
export function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode === undefined || (mode & OTHER_ACCOUNTS) === 0) return
  try {
    chmodSync(path, OWN_ACCOUNT_ONLY)
  } catch (error) {
    throw new OperatorError(
      `Other accounts have rights to ${path}, and this one cannot take them away (${String(error)}). ` +
        'Give the file to the account that runs Spoor, or set its mode to 600.',
      { cause: error },
    )
  }
}
