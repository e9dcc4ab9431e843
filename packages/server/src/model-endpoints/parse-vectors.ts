import { invalidAnswer } from './endpoint-failures.ts'
import { fieldOf, parseAnswer } from './json-answer.ts'

/** No model makes longer vectors. */
const MOST_NUMBERS = 16_384

/**
 * The vectors of an answer to so many texts, normalised to unit length, in the order of the texts, which `index` gives.
 * Throws EndpointFailure for any other answer: too few or too many vectors, a text twice, different lengths, a number
 * that is not finite, only zeros.
 */
export function parseVectors(body: string, count: number): Float32Array[] {
  const data = fieldOf(parseAnswer(body), 'data')
  if (!Array.isArray(data)) throw invalidAnswer('embedding', 'answered with something that is not a list of vectors')
  if (data.length !== count) throw invalidAnswer('embedding', `answered ${count} texts with ${data.length} vectors`)
  const vectors: Float32Array[] = []
  for (const entry of data as readonly unknown[]) {
    const index = fieldOf(entry, 'index')
    if (typeof index !== 'number' || !(index in data) || vectors[index] !== undefined) {
      throw invalidAnswer('embedding', 'answered with vectors that do not say to which text each belongs')
    }
    vectors[index] = toUnit(fieldOf(entry, 'embedding'))
  }
  if (vectors.some(({ length }) => length !== vectors[0]!.length)) {
    throw invalidAnswer('embedding', 'answered with vectors of different lengths')
  }
  return vectors
}

function toUnit(value: unknown): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_NUMBERS) {
    throw invalidAnswer('embedding', 'answered with a vector that is not a list of numbers')
  }
  let squares = 0
  for (const number of value as readonly unknown[]) {
    if (typeof number !== 'number' || !Number.isFinite(number)) {
      throw invalidAnswer('embedding', 'answered with a vector that holds a value that is not a finite number')
    }
    squares += number * number
  }
  const length = Math.sqrt(squares)
  if (length === 0 || !Number.isFinite(length)) {
    throw invalidAnswer('embedding', 'answered with a vector that has no direction')
  }
  return Float32Array.from(value as readonly number[], (number) => number / length)
}
