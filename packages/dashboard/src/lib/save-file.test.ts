import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCsv } from './save-file.ts'

test('cells are quoted where they must be, and no text is a formula', () => {
  assert.equal(
    toCsv([
      ['a', 'b "c", d', null, 0.5, -1],
      ['=SUM(A1)', 'line\nbreak', ''],
    ]),
    'a,"b ""c"", d",,0.5,-1\r\n\'=SUM(A1),"line\nbreak",\r\n',
  )
})
