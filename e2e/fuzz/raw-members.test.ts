import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawElements, rawMembers } from './raw-members.ts'

test('returns members and elements as raw text', () => {
  const text = ' { "a" : 1.0 , "\\u0062":{ "x":[ 1 ,"]}" ] } ,"c":"\\"}", "a":-0}'
  assert.deepEqual(
    [...rawMembers(text)],
    [
      ['a', '-0'],
      ['b', '{ "x":[ 1 ,"]}" ] }'],
      ['c', '"\\"}"'],
    ],
  )
  assert.deepEqual(rawElements('[ {"a":[1, 2]} ,3e0,"x,]" ]'), ['{"a":[1, 2]}', '3e0', '"x,]"'])
  assert.deepEqual([rawElements(' [ ] '), [...rawMembers('{ }')]], [[], []])
})
