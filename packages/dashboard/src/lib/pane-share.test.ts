import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PaneShare, shareAt, shareByKey, storedShare } from './pane-share.ts'

const PANES: PaneShare = { name: 'panes', property: '--share', initial: 58, least: 25, most: 80 }
const stored = (text: string | null) => storedShare(PANES, { getItem: () => text })

test('a stored share is used if it is valid', () => {
  assert.deepEqual([null, '', '40', '40.5', '5', '99', 'x', 'NaN'].map(stored), [58, 58, 40, 40.5, 58, 58, 58, 58])
})

test('pointer and keys stay within the bounds', () => {
  assert.equal(shareAt(PANES, 700, 200, 1000), 50)
  assert.deepEqual(
    [0, 5000].map((at) => shareAt(PANES, at, 200, 1000)),
    [25, 80],
  )
  assert.equal(shareAt(PANES, 0, 0, 0), 25)
  assert.deepEqual(
    ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'Enter'].map((key) => shareByKey(PANES, 79, key)),
    [77, 80, 25, 80, null],
  )
})
