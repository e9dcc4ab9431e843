import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainOpenFailure } from './explain-open-failure.ts'
import { SQLITE } from './sqlite-error.ts'

const PATH = 'data/service.lock'

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: open`), { code })
}

/** What is said when SQLite cannot open the file, and the system gives this reason when asked. */
function explanation(errcode: number, reason: unknown): string {
  const error = Object.assign(new Error('unable to open database file'), { errcode })
  return (explainOpenFailure(error, PATH, () => reason) as Error).message
}

test('where SQLite cannot open a file, a failed disk is not reported as missing rights', () => {
  for (const errcode of [SQLITE.cannotOpen, SQLITE.readOnly]) {
    assert.match(
      explanation(errcode, systemError('EIO')),
      /could not be read or written \(EIO: open\)\. Check the disk/,
    )
    assert.match(explanation(errcode, systemError('EROFS')), /is read-only\. .* its disk has failed/)
    assert.match(explanation(errcode, systemError('ENOSPC')), /The disk that holds .* is full/)
    assert.match(explanation(errcode, systemError('EACCES')), /Give the account that runs Spoor the right/)
    assert.match(explanation(errcode, null), /Give the account that runs Spoor the right/)
  }
})

test('an I/O error of SQLite is a full disk where the system has no space, and else a failed disk', () => {
  assert.match(explanation(SQLITE.ioError, systemError('ENOSPC')), /The disk that holds .* is full/)
  assert.match(explanation(SQLITE.ioError, null), /could not be read or written \(unable to open.*\)\. Check the disk/)
})

test('an unexpected error is returned unchanged', () => {
  const error = new Error('a bug')
  assert.equal(explainOpenFailure(error, PATH), error)
})
