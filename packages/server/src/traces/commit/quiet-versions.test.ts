import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QuietVersions } from './quiet-versions.ts'

test('a commit is quiet when it has been the last, or before the last, for the whole time', () => {
  const versions = new QuietVersions(30)
  const quiet = [
    [0, 7],
    [10, 7],
    [20, 9],
    [29, 9],
    [30, 9],
    [49, 12],
    [50, 12],
    [90, 12],
    [200, 12],
    [210, 13],
    [300, 20],
  ].map(([at, version]) => versions.sample(at as number, version as number))
  assert.deepEqual(quiet, [null, null, null, null, 7, 7, 9, 12, 12, 12, 13])
})
