import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBucketTarget } from './bucket-target.ts'

test('a target in a bucket has a prefix that ends with a slash; any other is a folder', () => {
  assert.deepEqual(readBucketTarget('s3://runs'), { bucket: 'runs', prefix: '' })
  assert.deepEqual(readBucketTarget('s3://runs/'), { bucket: 'runs', prefix: '' })
  assert.deepEqual(readBucketTarget('s3://runs/a/b'), { bucket: 'runs', prefix: 'a/b/' })
  assert.deepEqual(readBucketTarget('s3://runs/a/'), { bucket: 'runs', prefix: 'a/' })
  assert.equal(readBucketTarget('backups/s3'), null)
  for (const target of ['s3://', 's3:///a']) assert.throws(() => readBucketTarget(target), /names no bucket/)
})
