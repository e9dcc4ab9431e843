/**
 * Words that never name a cluster: those that hold sentences together, polite and filler words of requests, numbers, days and months. By language, in lower case, cut at
 * apostrophes as `readableWords` cuts. Short on purpose: what else is common in a project is told by its frequency.
 */
const LISTS: readonly string[] = [
  // English
  `a about above actually after again against ago all almost already also although always am among an and another any anyone anything are aren around as ask asked at away
  back be became because been before being below between both but by can cannot could couldn did didn do does doesn doing don done down during each either else enough even
  ever every everyone everything few for from further gave get gets getting give given gives giving go goes going gone gonna good got had hadn has hasn have haven having he
  hello help hers her here hey hi high him himself his hmm how however if in instead into is isn it its itself just keep kind know knows last least less let lets like likely
  little ll long look looking looks lot made make makes making many may maybe me mean might mine more most much must my myself need needed needs neither never new next no none
  nor not nothing now of off often ok okay on once one ones only onto or other others otherwise ought our ours out over own particular per perhaps please possible probably put
  quite rather re really right said same say says see seem seems she should shouldn since so some someone something somewhere soon still such sure take taken takes tell than
  thank thanks that the their theirs them themselves then there these they thing things think this those though through thus to today together told tomorrow tonight too toward
  try trying under until up upon us use used using ve very via want wanted wants was wasn way we well went were weren what whatever when where whether which while who whom
  whose why will with within without won would wouldn yes yesterday yet you your yours yourself im ive id dont cant doesnt didnt isnt whats thats lets kindly
  zero two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand million first second third
  monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december am pm`,
  // German
  `aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist bitte da dabei damit dann das dass dein deine dem den denn der des
  dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen hab habe haben hallo hat hatte hätte
  hier ich ihm ihn ihr ihre ihren im in ist ja jede jeden jeder jedes jetzt kann kannst kein keine können könnte könnten man mehr mein meine meinem meinen meiner mich mir mit
  möchte möchten muss nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll sollte um und uns unser unter viel vom von vor wann war
  waren warum was weil wenn wer werden wie wieder will wir wird wo wurde würde zu zum zur über danke
  eins zwei drei vier fünf sechs sieben acht neun zehn montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember`,
  // French
  `ai aie au aucun aussi autre aux avec avez avoir avons bien bonjour car ce cela celle celui ces cet cette ceux chez comme comment dans de des deux dit donc dont du elle elles
  en encore entre es est et étais était été être eu fait faire faut ici il ils je jour la là le les leur leurs lors lui ma mais me même merci mes moi moins mon ne ni non nos
  notre nous on ont ou où oui par parce pas peut peux plaît plus pour pourquoi pourrais pouvez puis qu quand que quel quelle quelles quels qui quoi sa sans se sera ses si sinon
  son sont sous suis sur svp ta te tes toi ton tous tout toute toutes tu un une vers veux voici vos votre voudrais voulez vous êtes
  un trois quatre cinq sept huit neuf dix lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre décembre`,
  // Spanish
  `al algo algunos ante antes aquí así aún aunque bien buenos cada como cómo con contra cual cuál cuando cuándo de del desde donde dónde dos el él ella ellas ellos en entre era
  eres es esa ese eso esta está están estar este esto estos estoy favor fue gracias ha hacer hacia han has hasta hay hola la las le les lo los más me mi mis mucho muy nada ni
  no nos nosotros nuestro otra otro para pero poco podría podrías por porque puede puedes puedo que qué querría quién quiere quiero se sea ser si sí sin sobre solo son soy su
  sus también tan te tengo tener ti tiene todo todos tu tus un una uno unos usted ustedes va vamos voy y ya yo
  tres cuatro cinco seis siete ocho nueve diez lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`,
  // Italian
  `ad agli ai al alla alle allo anche ancora avere aveva buongiorno che chi ci ciao come con cosa così cui da dal dalla degli dei del dell della delle dello di dopo dove due e è
  ed era essere favore fra gli grazie ha hai hanno ho il in io la le lei li lo loro lui ma me mi mia mie mio molto ne nei nel nella noi non nostro o ogni per perché più poi
  posso potrei può puoi qual quale quando quanto quella quello questa questo qui se sei senza si sia solo sono sta stato su sul sulla suo sua te ti tra tu tutti tutto un una uno
  vi voglio voi vorrei tre quattro cinque sei sette otto nove dieci lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre`,
  // Portuguese
  `à ao aos aquela aquele as às até bem boa bom com como da das de dela dele depois do dos e é ela elas ele eles em entre era essa esse esta está estar este eu favor fazer foi
  gostaria há isso isto já lhe mais mas me mesmo meu meus minha muito na não nas nem no nos nós nossa nosso num numa o obrigado olá onde os ou para pela pelo pode podem posso por
  porque pra qual quando que quem quero são se sem ser será seu seus só sobre sua também te tem tenho ter tu tudo um uma umas você vocês vou
  dois três quatro cinco sete oito nove dez segunda terça quarta quinta sexta janeiro fevereiro março maio junho julho setembro outubro novembro dezembro`,
  // Dutch
  `aan af al alles als altijd ben bij daar dan dat de deze die dit doen door dus een eens en er ga geen graag had hallo heb hebben heeft hem het hier hij hoe hun iets ik in is ja
  je jij jouw jullie kan kun kunnen kunt maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over te tegen toch toen tot uit uw van
  veel voor waar waarom wanneer want waren was wat we weer wel werd wie wij wil wordt worden zal ze zelf zich zij zijn zo zonder zou`,
  // Russian
  `а без бы был была были было быть в вам вас весь во вот все всё всего вы где да для до его ее её если есть еще ещё же за здравствуйте и из или им их к как какая какой когда кто
  ли мне могу можно мой моя мы на надо нам нас не него нет ни но ну о об он она они от очень по под пожалуйста при привет с свой себя сейчас со спасибо так такой там те тебе тем то
  тоже только ты у уже хочу чего чем что чтобы это этот эту я`,
  // Polish
  `aby ale albo bardzo bez był była było być chcę ci co czy dla do gdy gdzie go i ich ile im ja jak jaki jako je jego jej jest jestem jeszcze już kiedy kto która które który
  ma mam mi mnie może mogę można mój moja na nad nie nic no o od on ona oni oraz po pod proszę przed przez przy się są ta tak także tam te tego ten też to tu ty tylko w was we więc
  wszystko z za ze że`,
  // Turkish
  `acaba ama ben beni benim bir biraz bu çok da daha de değil diye en eğer gibi göre hangi hem her için ile ise istiyorum kadar ki kim lütfen merhaba mı mi mu mü nasıl ne neden
  nerede o olan olarak onu sen siz şey şu teşekkürler ve veya ya`,
  // Chinese, Japanese, Korean, as their segmenters cut
  `的 了 是 我 你 您 他 她 它 我们 你们 他们 在 有 和 与 就 不 也 都 很 要 请 请问 我想 我要 吗 呢 吧 啊 这 那 这个 那个 什么 怎么 怎样 如何 一个 一 个 到 把 被 给 为 从 对 想 能 可以 会 说 去 上 下 里 帮 帮我 谢谢 你好 还 没有 没
  は が の を に へ と で も や から まで より です ます ました ください 下さい する した して い いる ある この その あの これ それ どう どの 何 私 ない たい か ね よ お ご こと もの さん お願い どうすれ ば いい れ られ
  저 제 나 이 그 저는 제가 수 것 좀 를 을 은 는 가 에 의 도 주세요 해주세요 어떻게 있나요 합니다 있습니다`,
]

export const STOP_WORDS: ReadonlySet<string> = new Set(LISTS.flatMap((list) => list.split(/\s+/)))
