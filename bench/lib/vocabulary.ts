/**
 * Words for generated messages: pronounceable, fixed, chosen by rank. Texts draw them log-uniformly, as in natural
 * language: the first few are in every message, the last in few of ten thousand.
 */
const CONSONANTS = 'bcdfghklmnprstvz'
const VOWELS = 'aeiou'

export const WORD_COUNT = 8192
/** Depends only on the rank, so that SQL can cut words out of one long text. */
const wordLength = (rank: number): number => 3 + ((rank * 5) % 7)
export const LONGEST_WORD = 9

/** The word of a rank from 0 to WORD_COUNT - 1; different ranks may share a short word, as homographs do. */
export function word(rank: number): string {
  let text = ''
  let rest = (rank * 40_503) % 65_536
  while (text.length < wordLength(rank)) {
    text += CONSONANTS[rest % CONSONANTS.length]
    rest = Math.floor(rest / CONSONANTS.length) + rank
    text += VOWELS[rest % VOWELS.length]
    rest = Math.floor(rest / VOWELS.length) + rank * 7
  }
  return text.slice(0, wordLength(rank))
}

const WORDS: readonly string[] = Array.from({ length: WORD_COUNT }, (_, rank) => word(rank))

/** `count` words drawn by `random`, a function of numbers in [0, 1). */
export function sentence(count: number, random: () => number): string {
  const words: string[] = []
  for (let index = 0; index < count; index++) words.push(WORDS[Math.floor(WORD_COUNT ** random()) - 1] ?? '')
  return words.join(' ')
}

/** A small generator that gives the same numbers for the same seed (xorshift32). */
export function seededRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
