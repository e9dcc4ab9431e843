import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPersonalWords } from './personal-words.ts'

/** Which of the words may be names of persons in clusters of these texts. */
function personalAmong(words: string, ...clusters: readonly (readonly string[])[]): string[] {
  const isPersonal = findPersonalWords(clusters.map((texts) => texts.map((text) => ({ asked: [text], done: [] }))))
  return words.split(' ').filter(isPersonal)
}

test('words with a capital in the middle of sentences may be names', () => {
  const texts = ['Please send the book to Ada Rossi', 'I want to cancel, the order is for Ada', 'Cancel my order']
  assert.deepEqual(personalAmong('please send book ada rossi cancel order', texts), ['ada', 'rossi'])
})

test('a capital at the beginning of a sentence, a line or a quotation does not count', () => {
  assert.deepEqual(
    personalAmong('refund where', ['Hello. Refund this!\nWhere is it? "Refund" please', 'Refund: when?']),
    [],
  )
})

test('a word that is as often written without a capital is no name', () => {
  const texts = ['I use Python at work', 'a python list', 'how does python sort']
  assert.deepEqual(personalAmong('python', texts), [])
})

test("products and places in a large share of a cluster's traces are no names of persons", () => {
  const about = (word: string, count: number) =>
    Array.from({ length: count }, () => `my payment by ${word} was refused`)
  assert.deepEqual(personalAmong('klarna', about('Klarna', 20)), [])
  assert.deepEqual(personalAmong('klarna', about('Klarna', 19)), ['klarna'], 'of 19 traces one person may be the whole')
  const few = [...about('Klarna', 20), ...about('card', 60)]
  assert.deepEqual(personalAmong('klarna', few), ['klarna'], 'a quarter of the traces')
  assert.deepEqual(personalAmong('paypal pdf', ['I want PayPal and the PDF', 'is it PayPal or PDF']), [])
})

test('an introduced name is a person in however many traces it is', () => {
  const texts = Array.from({ length: 40 }, () => 'my plan, says Olivia Klein, is to move')
  assert.deepEqual(personalAmong('olivia klein', texts), [])
  for (const introduction of [
    'Hello, I’m Olivia Klein.',
    'My name is Olivia Klein',
    'ask Mrs. Klein or olivia@example.org',
    'the account of olivia_klein_2305',
  ]) {
    assert.deepEqual(personalAmong('olivia klein plan', [...texts, introduction]), ['olivia', 'klein'], introduction)
  }
})

test('names in small letters are found where somebody is introduced', () => {
  const texts = [
    'my name is olivia klein',
    'hi, my name is omar',
    'what is my order number',
    'my name is wrong, it was wrong before',
  ]
  assert.deepEqual(personalAmong('olivia klein omar order number wrong', texts), ['olivia', 'klein', 'omar'])
  assert.deepEqual(personalAmong('olga', ['привет, меня зовут Olga']), ['olga'])
})

test('a name is found beside one that is a word elsewhere', () => {
  const texts = Array.from({ length: 40 }, () => 'please ask Smith about it')
  assert.deepEqual(personalAmong('smith', texts), [])
  assert.deepEqual(personalAmong('smith', [...texts, "I'm Mia Smith"]), ['smith'])
  assert.deepEqual(personalAmong('smith', [...texts, 'it is sofia_smith_7287']), ['smith'])
})

test('a common word in an address stays a common word', () => {
  const texts = [
    'write to support@example.org',
    'I need support now',
    'my support ticket',
    'order_12345 is late',
    'the order is late',
  ]
  assert.deepEqual(personalAmong('support order ticket', texts), [])
})

test('in texts of capitals, in titles and in German capitals do not count', () => {
  assert.deepEqual(personalAmong('refund', ['I WANT A Refund'.toUpperCase()]), [])
  assert.deepEqual(personalAmong('airline refund', ['How to Get an Airline Ticket Refund Within Days or Weeks']), [])
  assert.deepEqual(personalAmong('bestellung', ['wo ist meine Bestellung und wann kommt sie']), [])
  assert.deepEqual(personalAmong('klein bestellung', ['ich bin Olivia Klein und suche meine Bestellung']), ['klein'])
})

test('the time for hostile texts is linear in their length', () => {
  for (const text of ['a'.repeat(4_000_000), 'a.'.repeat(100_000), 'ab_'.repeat(100_000), 'Aa '.repeat(100_000)]) {
    assert.deepEqual(personalAmong('refund', [text, `my name is ${text}`]), [])
  }
})
