import { ara, deu, eng, fra, ita, jpn, kor, nld, pol, por, rus, spa, tur, zho } from 'stopword'

/**
 * Words that the lists of the package lack: polite and filler words of requests, parts of contractions, and numbers.
 */
const REQUEST_WORDS = `
  actually again ago almost already although always among anyone anything aren around ask asked away cannot couldn
  didn does doesn doing don done down during either else enough even ever every everyone everything few further gave
  gets getting give given gives giving go goes going gone gonna good hadn hasn haven having hello help hers hey hi hmm
  however instead isn its itself just keep kind know knows last least less let lets likely little ll long look looking
  looks lot made makes making maybe mine myself need needed needs neither none nor not nothing often ok okay once ones
  onto others otherwise ought ours own particular per perhaps please possible probably put quite rather re really
  right say says see seem seems she shouldn someone something somewhere soon sure taken takes tell thank thanks theirs
  themselves thing things think though thus today together told tomorrow tonight toward try trying until upon us use
  used using ve via wanted wants wasn went weren whatever when whether whom whose why within without won wouldn yes
  yesterday yet yours yourself ive id dont cant doesnt didnt isnt whats thats kindly zero two three four five six
  seven eight nine eleven twelve twenty thirty hundred thousand million first second third am pm bitte hallo könnten
  möchten danke aucun aussi autre bien bonjour celle celui ceux chez comme comment deux donc dont elles encore fait
  faut jour là lors merci moins oui parce peut peux plaît plus pourquoi pourrais pouvez puis quand quoi sinon sous svp
  tous tout toute toutes vers veux voici voudrais voulez trois quatre cinq sept huit neuf dix algo algunos ante antes
  aquí así aún aunque buenos cada cómo cuál cuándo dónde ellas ellos eres esa está están estar esto estos estoy favor
  fue gracias hacer hacia han hay hola mis mucho nada nosotros nuestro otra podría podrías puede puedes puedo querría
  quién quiere quiero sea ser solo soy tan tengo tener tiene todos tus unos usted ustedes va vamos voy yo tres cuatro
  cinco seis ocho nueve diez ancora avere buongiorno ciao cosa così dopo due essere fra grazie molto ogni poi posso
  potrei può puoi senza stato voglio vorrei tre quattro cinque sette otto nove dieci bem boa bom é fazer foi gostaria
  há obrigado olá onde pode podem pra quero são tem tenho ter tudo vou dois três quatro sete oito dez ga graag jij
  jouw jullie kun kunt onder onze waar waarom wanneer weer wordt весь всё её ещё здравствуйте могу нам очень
  пожалуйста привет свой сейчас спасибо те тебе хочу bez chcę go mogę proszę istiyorum lütfen merhaba teşekkürler 您 它
  我们 你们 他们 要 请问 我想 我要 这个 那个 什么 怎么 怎样 如何 一个 被 给 从 想 能 可以 去 上 下 里 帮 帮我 谢谢 你好 没有 没 ました ください 下さい した して あの どう どの 何 私 たい ね よ
  ご さん お願い どうすれ いい 저는 제가 은 는 도 주세요 해주세요 있나요 합니다 있습니다`

const LETTERS = /[\p{L}\p{M}]+/gu

/** Days and months. */
const DATE_WORDS = ['en', 'de', 'fr', 'es', 'it', 'pt'].flatMap((language) => {
  const months = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
  const days = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, index) => [
    months.format(Date.UTC(2024, index)),
    days.format(Date.UTC(2024, 0, 1 + index)),
  ]).flat()
})

/**
 * Words that never name a cluster, in all supported languages: function words, and common words of requests and dates.
 * In lower case, cut at each character that is no letter, as `readableWords` does.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [ara, deu, eng, fra, ita, jpn, kor, nld, pol, por, rus, spa, tur, zho, [REQUEST_WORDS], DATE_WORDS]
    .flat()
    .flatMap((entry) => entry.normalize('NFKC').toLowerCase().match(LETTERS) ?? []),
)
