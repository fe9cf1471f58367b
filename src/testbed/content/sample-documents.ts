/** The fixed documents of the Response Formats group. All texts are our own or long in the public domain. */

/** The opening of a novel of 1851. */
export const htmlPage = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>A page of prose</title>
  </head>
  <body>
    <h1>Herman Melville - Moby-Dick</h1>
    <div>
      <p>
        Call me Ishmael. Some years ago - never mind how long precisely - having little or no money in my
        purse, and nothing particular to interest me on shore, I thought I would sail about a little and see
        the watery part of the world. It is a way I have of driving off the spleen, and regulating the
        circulation.
      </p>
      <p>
        Whenever I find myself growing grim about the mouth; whenever it is a damp, drizzly November in my
        soul; whenever I find myself involuntarily pausing before coffin warehouses, and bringing up the rear
        of every funeral I meet; then, I account it high time to get to sea as soon as I can.
      </p>
    </div>
  </body>
</html>
`;

/** Clients' tests read title, author, date and slides, in this shape. */
export const slideshow = {
  slideshow: {
    author: 'Yours Truly',
    date: 'date of publication',
    slides: [
      { title: 'Who stands at the gate?', type: 'all' },
      {
        items: ['What a <em>gateway</em> lets through', 'What it must <em>never</em> change'],
        title: 'Overview',
        type: 'all',
      },
    ],
    title: 'Sample Slide Show',
  },
};

export const slideshowXml = `<?xml version='1.0' encoding='us-ascii'?>
<!-- A slide show in XML -->
<slideshow title="Sample Slide Show" date="Date of publication" author="Yours Truly">
  <slide type="all">
    <title>Who stands at the gate?</title>
  </slide>
  <slide type="all">
    <title>Overview</title>
    <item>What a <em>gateway</em> lets through</item>
    <item/>
    <item>What it must <em>never</em> change</item>
  </slide>
</slideshow>
`;

export const robotsTxt = 'User-agent: *\nDisallow: /deny\n';

export const denyText = `
      _________________________
     |  _____________________  |
     | |                     | |
     | |    THE GATE IS      | |
     | |      CLOSED         | |
     | |_____________________| |
     |_________________________|
          ||             ||
          ||             ||

  robots.txt asked you not to come here.
`;

/** Scripts, widths, directions and planes that a careless proxy or client breaks. */
export const utf8Page = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>UTF-8</title></head>
<body>
<h1>Unicode in UTF-8</h1>
<pre>
One byte      The quick brown fox jumps over the lazy dog
Two bytes     Türkçe: şığüöç ŞİĞÜÖÇ ı İ · Français: où, déjà, çà · Deutsch: Straße, Größe
              Ελληνικά: Ξεσκεπάζω την ψυχοφθόρα βδελυγμία · Русский: Съешь ещё этих булок
Three bytes   日本語: いろはにほへと ちりぬるを · 한국어: 다람쥐 헌 쳇바퀴 · 中文: 天地玄黃 宇宙洪荒
              ไทย: เป็นมนุษย์สุดประเสริฐ · हिन्दी: नमस्ते दुनिया · € ‰ → ≠ ∞ ∑ √
Four bytes    😀 🚪 🏰 𝔊𝔞𝔱𝔢 𐍈 🇹🇷 👩‍🚀
Right to left עברית: דג סקרן שט בים · العربية: نص حكيم له سر قاطع
Combining     é (e + U+0301) · ñ (n + U+0303) · Å (A + U+030A)
Zero width    a\u200bb (U+200B) · a\u2060b (U+2060) · a\u200db (U+200D)
Box drawing   ╔═╦═╗ ║ ║ ║ ╠═╬═╣ ╚═╩═╝ ░▒▓█
</pre>
</body>
</html>
`;

/** The fields are those that clients' form tests fill in. */
export const formPage = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>An order form</title>
  </head>
  <body>
    <form method="post" action="/post">
      <p><label>Name <input name="custname"></label></p>
      <p><label>Telephone <input type="tel" name="custtel"></label></p>
      <p><label>E-mail <input type="email" name="custemail"></label></p>
      <fieldset>
        <legend>Size</legend>
        <label><input type="radio" name="size" value="small"> Small</label>
        <label><input type="radio" name="size" value="medium"> Medium</label>
        <label><input type="radio" name="size" value="large"> Large</label>
      </fieldset>
      <fieldset>
        <legend>Toppings</legend>
        <label><input type="checkbox" name="topping" value="bacon"> Bacon</label>
        <label><input type="checkbox" name="topping" value="cheese"> Cheese</label>
        <label><input type="checkbox" name="topping" value="onion"> Onion</label>
        <label><input type="checkbox" name="topping" value="mushroom"> Mushroom</label>
      </fieldset>
      <p><label>Deliver at <input type="time" name="delivery" min="11:00" max="21:00" step="900"></label></p>
      <p><label>Remarks <textarea name="comments"></textarea></label></p>
      <p><button>Send the order</button></p>
    </form>
  </body>
</html>
`;
