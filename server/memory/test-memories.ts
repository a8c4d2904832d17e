/**
 * For tests only: a memory of 200 entries as an agent may have after a year, with questions that
 * its steps are about. Many entries share a customer or a subject with a question; the entry that
 * matters shares both, or a rare word.
 */
const customers = [
  'Nordwind',
  'Alpenrose',
  'Castillo e Hijos',
  'Maison Lefèvre',
  'Ромашка',
  'Ελαιώνας',
  'Blue Harbor',
  'Kestrel Labs',
  'Fjordline',
  'Tanaka Foods',
  'Oakridge',
  'Santorini Hotels',
  'Müller & Söhne',
  'Riverside Clinic',
  'Lumière Cosmetics',
  'Hidalgo Motors',
  'Greenfield',
  'Baltic Freight',
  'Café Central',
  'Pinewood School',
]

const subjects: ((customer: string, n: number) => string)[] = [
  (customer, n) => `${customer} gets a discount of ${n + 3} percent on annual plans.`,
  (customer, n) => `The contract of ${customer} renews in week ${n + 20}, with 60 days of notice.`,
  (customer) => `${customer} möchte Rechnungen als PDF per E-Mail, nicht auf Papier.`,
  (customer, n) => `Ansprechpartner bei ${customer} für Lieferungen ist das Team ${n + 1}.`,
  (customer) => `${customer} préfère les réunions le mardi matin, jamais le vendredi.`,
  (customer, n) => `Le plafond de crédit de ${customer} est de ${n + 10} 000 euros.`,
  (customer) => `${customer} pidió que los envíos lleguen antes de las diez.`,
  (customer, n) => `Клиент ${customer} платит в течение ${n + 14} дней после доставки.`,
  (customer) => `Ο πελάτης ${customer} θέλει τις προσφορές γραμμένες στα ελληνικά.`,
]

const singles = [
  'Never mention competitor prices in newsletters; legal asked for that in March.',
  'The staging server restarts every night at two, so long exports fail then.',
  'Screenshots in reports must hide the email addresses of patients.',
  'Ticket summaries should start with the affected product version.',
  'Die Kündigungsfrist für Altverträge beträgt drei Monate zum Quartalsende.',
  'Überweisungen aus der Schweiz brauchen den Verwendungszweck auf Deutsch.',
  'Für Gefahrgut gilt ein eigenes Lieferscheinformular mit roter Kopfzeile.',
  'Les factures rectificatives doivent citer le numéro de la facture initiale.',
  'Le mot de passe du portail fournisseurs expire à la fin de chaque trimestre.',
  'Los reembolsos superiores a quinientos euros los aprueba la directora financiera.',
  'En agosto el almacén de Valencia cierra dos semanas por vacaciones.',
  'Отчёты для налоговой сдаются до двадцать пятого числа каждого месяца.',
  'Гарантийный ремонт насосов выполняет только мастерская в Казани.',
  'Οι επιστροφές χρημάτων εγκρίνονται από το λογιστήριο κάθε Πέμπτη.',
  'Το συνέδριο της Θεσσαλονίκης μεταφέρθηκε στις αρχές Νοεμβρίου.',
  '東京支社への請求書は毎月末に発行する。',
  '退款申请必须附上原始发票。',
  'สัญญาเช่าคลังสินค้าหมดอายุในเดือนธันวาคม',
  'गोदाम की चाबियाँ सुरक्षा कार्यालय में रखी जाती हैं।',
  'The tone of release notes is dry: no exclamation marks, no jokes.',
]

export const entries = [
  ...customers.flatMap((customer, n) => subjects.map((subject) => subject(customer, n))),
  ...singles,
]

/** What a step is about, and the beginning of the entry that it needs. */
export const questions: { about: string; needs: string }[] = [
  { about: 'What discount does Oakridge have on its plans?', needs: 'Oakridge gets a discount' },
  {
    about: 'Draft a reminder: when is the renewal of the Kestrel Labs contract due?',
    needs: 'The contract of Kestrel Labs',
  },
  {
    about: 'Write the monthly newsletter. Compare us with competitors where it helps.',
    needs: 'Never mention competitor prices',
  },
  {
    about: 'The nightly export on staging stopped in the middle. Why might that be?',
    needs: 'The staging server restarts',
  },
  {
    about: 'Prepare a report with a screenshot of the patient list.',
    needs: 'Screenshots in reports',
  },
  { about: 'Write release notes for version 4.2.', needs: 'The tone of release notes' },
  {
    about: 'Summarise ticket 8812 for the product team; the version is 3.9.',
    needs: 'Ticket summaries',
  },
  { about: 'Wie soll die Rechnung an Alpenrose gehen?', needs: 'Alpenrose möchte Rechnungen' },
  {
    about: 'Wer kümmert sich bei Müller & Söhne um die Lieferung?',
    needs: 'Ansprechpartner bei Müller & Söhne',
  },
  {
    about:
      'Ein Kunde will einen alten Vertrag kündigen. Welche Frist gilt, wenn er im Mai kündigt?',
    needs: 'Die Kündigungsfrist',
  },
  {
    about: 'Schreibe eine Anleitung für die Überweisung aus der Schweiz.',
    needs: 'Überweisungen aus der Schweiz',
  },
  { about: 'WELCHES FORMULAR BRAUCHT GEFAHRGUT?', needs: 'Für Gefahrgut' },
  {
    about: 'Propose un créneau de réunion à la Maison Lefèvre la semaine prochaine.',
    needs: 'Maison Lefèvre préfère les réunions',
  },
  {
    about: 'Quel est le plafond de credit de Lumiere Cosmetics ?',
    needs: 'Le plafond de crédit de Lumière Cosmetics',
  },
  {
    about: 'Il faut rectifier une facture : que doit contenir la facture rectificative ?',
    needs: 'Les factures rectificatives',
  },
  {
    about: 'Un fournisseur ne peut plus se connecter au portail.',
    needs: 'Le mot de passe du portail',
  },
  {
    about: '¿A qué hora deben llegar los envíos de Hidalgo Motors?',
    needs: 'Hidalgo Motors pidió',
  },
  {
    about: 'Un cliente pide un reembolso de ochocientos euros. ¿Quién lo aprueba?',
    needs: 'Los reembolsos superiores',
  },
  {
    about: 'Planifica las entregas de agosto desde el almacen de Valencia.',
    needs: 'En agosto el almacén',
  },
  { about: 'Когда платит Ромашка после доставки?', needs: 'Клиент Ромашка' },
  { about: 'Когда нужно сдать отчет в налоговую?', needs: 'Отчёты для налоговой' },
  { about: 'Сломался насос. Кто делает ремонт по гарантии?', needs: 'Гарантийный ремонт' },
  { about: 'Σε ποια γλώσσα θέλει προσφορά ο Ελαιώνας;', needs: 'Ο πελάτης Ελαιώνας' },
  { about: 'ΠΟΤΕ ΕΓΚΡΙΝΕΤΑΙ Η ΕΠΙΣΤΡΟΦΗ ΧΡΗΜΑΤΩΝ;', needs: 'Οι επιστροφές χρημάτων' },
  { about: 'Πότε είναι το συνέδριο στη Θεσσαλονίκη;', needs: 'Το συνέδριο' },
  { about: '東京支社の請求書はいつ発行しますか？', needs: '東京支社' },
  { about: '客户要退款，需要附上什么发票？', needs: '退款申请' },
  { about: 'สัญญาเช่าคลังสินค้าหมดอายุเมื่อไร', needs: 'สัญญาเช่า' },
  { about: 'गोदाम की चाबियाँ कहाँ हैं?', needs: 'गोदाम' },
]
