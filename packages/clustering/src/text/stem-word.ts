/**
 * Removes the endings by which English marks number and tense, so that "flights", "changed" and "changing" become
 * "flight" and "change". Endings that form another word ("-tion", "-ly") stay. `word` is in lower case. Words with
 * other than ASCII letters are returned unchanged: the character n-grams cover their inflections.
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !ASCII_LETTERS.test(word)) return word
  return withoutFinalE(withoutTense(withoutPlural(word)))
}

const ASCII_LETTERS = /^[a-z]+$/
const NO_PLURAL = /(?:ss|us|is)$/
const HISSING_PLURAL = /(?:s|x|z|ch|sh)es$/
const TENSE = /^(.*[aeiouy].*)(?:ed|ing)$/
const DOUBLED = /([bdfgmnprt])\1$/

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || NO_PLURAL.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  return HISSING_PLURAL.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

function withoutTense(word: string): string {
  const stem = TENSE.exec(word)?.[1]
  if (stem === undefined || stem.length < 3) return word
  return DOUBLED.test(stem) ? stem.slice(0, -1) : stem
}

function withoutFinalE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word
}
