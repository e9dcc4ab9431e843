/** For each class of words: the lowest hash of a word of a text; NO_WORD if it has none. */
export type TextSketch = Int32Array

/** Classes of words. With 32 the similarity of two texts is off by about 0.1. */
export const SKETCH_PLACES = 32
export const NO_WORD = -1
/** From here on each character is a word: scripts without spaces. */
const IDEOGRAPHS = 0x2e80

/** Two texts have as many equal places as they have common words. */
export function sketchOf(text: string): TextSketch {
  const sketch = new Int32Array(SKETCH_PLACES).fill(NO_WORD)
  let hash = 0
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? 0 : text.charCodeAt(at)
    const isLetter = (code >= 48 && code < 58) || (code >= 97 && code < 123) || (code >= 65 && code < 91) || code > 127
    if (isLetter) hash = Math.imul(hash ^ code, 0x01000193) + 1
    if (hash !== 0 && (!isLetter || code >= IDEOGRAPHS)) {
      const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
      const place = mixed % SKETCH_PLACES
      const word = (mixed ^ (mixed >>> 13)) >>> 5
      const kept = sketch[place]!
      if (kept === NO_WORD || word < kept) sketch[place] = word
      hash = 0
    }
  }
  return sketch
}
