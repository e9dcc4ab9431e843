import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** Files of the server that may name the code, and why. */
const ALLOWED = {
  'packages/server/src/lib/validation/validation-failed.ts': 'the only one that makes such errors',
  'packages/server/src/media/staged-uploads.ts': 'compares the codes of errors',
  'packages/server/src/metrics/record-evaluations.ts': 'compares the codes of errors',
}

test('only lib/validation/validation-failed.ts makes `validation_failed`: call its `invalid` or `refuseInvalid`', () => {
  const found = globSync('packages/server/src/**/*.ts', { cwd: root })
    .filter((path) => !/[.](test|test-support|conformance)[.]ts$/.test(path))
    .filter((path) =>
      /(['"`])validation_failed\1/.test(readFileSync(join(root, path), 'utf8').replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '')),
    )
  assert.deepEqual(found.toSorted(), Object.keys(ALLOWED).toSorted())
})
