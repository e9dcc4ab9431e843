import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsPersonalData } from './holds-personal-data.ts'

const isPersonal = (word: string) => word === 'mia'

test('names of persons, addresses and numbers of single traces are found', () => {
  for (const text of [
    'Flights of Mia',
    "Mia's flights",
    'Mail to help@example.org',
    'Questions of @handle',
    'See https://example.org',
    'Order 12345 is late',
    'Call +1 (555) 123-4567',
    'Booking ZFA04Y',
    'User mia_li_3668',
  ]) {
    assert.ok(holdsPersonalData(text, isPersonal), text)
  }
})

test('numbers that describe a topic are no personal data', () => {
  for (const text of [
    'Refunds within 24 hours',
    'HTTP 404 errors',
    'Questions about GPT-4 and H2',
    'Taxes of 2024',
    'Miami',
  ]) {
    assert.ok(!holdsPersonalData(text, isPersonal), text)
  }
})
