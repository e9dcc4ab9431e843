import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ansiRuns, withoutAnsi } from './ansi-text.ts'

const ESC = '\u001b'

test('colours and weights become theme classes, and the text stays the same', () => {
  const output = `${ESC}[1m${ESC}[31mFAILED${ESC}[0m test_a.py\n  ${ESC}[32m<b>ok</b>${ESC}[39m  done ${ESC}[38;5;196mred${ESC}[m`
  assert.deepEqual(ansiRuns(output), [
    { text: 'FAILED', className: 'text-fail font-semibold' },
    { text: ' test_a.py\n  ', className: '' },
    { text: '<b>ok</b>', className: 'text-ok' },
    { text: '  done ', className: '' },
    { text: 'red', className: '' },
  ])
})

test('codes that are not rendered are removed, also truncated ones', () => {
  const link = `${ESC}]8;;https://example.org${ESC}\\here${ESC}]8;;${ESC}\\`
  assert.equal(withoutAnsi(`${ESC}]0;title\u0007${ESC}[2K${ESC}(B${link} & there${ESC}[3`), 'here & there')
  assert.equal(withoutAnsi(`a${ESC}`), 'a')
})

test('text without codes is unchanged', () => {
  const text = ' [31m is no code, nor is \\u001b[31m\r\n\t> quoted  '
  assert.deepEqual(ansiRuns(text), [{ text, className: '' }])
})
