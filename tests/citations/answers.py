"""Long answers as models write them, in every dialect, with what surrounds markers in real life."""

from __future__ import annotations

INSURANCE = """\
## Windscreen claims

The windscreen excess is **£100** for a replacement [1] and **£25** for a repair [1, 2]. You keep your no-claims \
discount either way [2][3].

| Cover | Excess | Limit |
|---|---:|---|
| Repair | £25 [1] | none [2] |
| Replacement | £100 [1] | £1,500 [2, 3] |
| Sunroof | £100 [9] | [9] |

To claim:

1. Call the claims line **within 14 days** [3].
2. Quote your policy number (it starts with `MOT[1]`).
3. Pay the excess to the garage [1]–[3].

- [ ] Keep the receipt
- [x] Photograph the damage [2]

> Our approved garages guarantee their work for *three years* [3].

[1] says nothing about caravans. See [the policy](https://example.com/policy_(1).pdf) or [section 4][1].

[1]: https://example.com/policy "Policy [2]"
"""

NATURAL = """\
According to [Source 1], the flat is covered for burst pipes (Source 2). However, [Source 3] excludes damage that \
builds up over time [Source 3: Exclusions, p. 12]. There are two limits: (1) £5,000 for contents, and (2) £50,000 \
for the building (Sources 1, 2). Under section 4 (1) you must "take reasonable care" [Source 1, Source 4].

(a) Report it within 24 hours [sources: 2 and 4].
(b) Keep damaged items (see Source 2).
"""

OPENAI = """\
The plan covers emergency dental care【1†source】 and one check-up a year【2†source】【3†source】. Cosmetic work is \
not covered【1†L10-L12】.

**Waiting period**: three months for fillings【2:0†source】, six for crowns 【3】.

```python
limits = {"fillings": [1, 2], "crowns": [3]}
total = limits["crowns"][0] + arr[1]  # see [1] and 【1】
```

So a crown in month four is not paid for【4†source】【9†source】.
"""

ACADEMIC = r"""
The mean squared error falls as $O(1/n)$ [1], and for $x[1], \dots, x[n]$ i.i.d. the variance is $\sigma^2/n$ [2].

$$
\bar{x} = \frac{1}{n} \sum_{i=1}^{n} x[i] \quad [1]
$$

For an interval \([0, 1]\) the bound is \[ \Pr[|X| > t] \le 2e^{-2nt^2} [2] \] as Hoeffding showed [3-4].

About 10² samples over 50 km² suffice² for a 95 % interval¹,³. It costs $5 [1] a sample, $500 [2] in all; with \
$k$ clusters it is $2k$ more [^4].

[^4]: Clusters are counted once [2].
"""

CODE = """\
Set the timeout in `config[1]` or pass ``timeout=`x[2]` `` to the client [1].

    client = Client(timeout=args[1])
    print(data[0][1])

It defaults to 30 s [2]. In shell:

~~~~sh
echo ${arr[1]} ~~~ [1]
```
[2]
```
~~~~

1. Use `sys.argv[1]` [2]
   ```js
   const a = b[1]; // [2]
   ```
   and `fetch` retries twice [3].

Then rows[1] = 5 and word[1] end. <code>m[1]</code> [1]<br>Done [2].
"""

CHINESE = """\
根据保单，挡风玻璃的免赔额为100元［１］，更换时为500元【2】。盗窃须在24小时内报警[来源3]，并在14天内通知我们（来源 4）。

- 行李保障上限为10,000元¹。
- 延误超过12小时赔付500元²³。
- 不包括战争风险[1、2]；也不包括核风险[9]。

详见《保险条款》[1][2]。
"""

JAPANESE = """\
免責金額は5万円です［1］。盗難の場合は24時間以内に警察へ届け出てください【2†source】。「速やかに」とは14日以内を指します[出典3]。

> 補償の上限は100万円です[1, 4]。

なお、地震は対象外です[0]。
"""

THAI = """\
ค่าเสียหายส่วนแรกคือ 1,000 บาท [1] และต้องแจ้งภายใน 24 ชั่วโมง [2, 3] กรมธรรม์ไม่คุ้มครองน้ำท่วม【4】

- ค่ารักษาพยาบาลสูงสุด 50,000 บาท [แหล่งที่มา 1]
- กระเป๋าเดินทาง 10,000 บาท [9] ต่อคน
"""

ARABIC = """\
مبلغ التحمل هو ١٠٠ دينار [1]، ويجب الإبلاغ خلال ٢٤ ساعة [٢، ٣]. لا تشمل التغطية الحروب [المصدر 4].

• الحد الأقصى ٥٠٠٠ دينار [9].
• الأمتعة مشمولة [1][2].
"""

HINDI = """\
विंडस्क्रीन की कटौती १०० रुपये है [1]। चोरी की सूचना २४ घंटे में दें [2, 3]। बाढ़ शामिल नहीं है [9]।
"""

SUPERSCRIPT = """\
The scheme pays up to £85,000 per person¹ and bank². Joint accounts count twice² ³; temporary high balances are \
covered for six months⁴. A flat of 80 m² or 12 ft³ of storage is "reasonable"¹⁻². Interest (the statutory rate)³ is \
added.<sup>4</sup> CO<sub>2</sub> and H<sub>2</sub>O are not markers, nor is 10<sup>6</sup>.

¹ Deposit guide, p. 3
² Terms
"""

FINDINGS = """\
🔴 **CRITICAL** – Bucket `logs[0]` is public **[1]**. HIPAA[2] and PCI-DSS[3] both require encryption at rest \
(see [2]; [3]).

```hcl
resource "aws_s3_bucket" "b" {
  tags = ["a", "b"][1]
}
```

🟠 **HIGH** – Keys in us-east-1[1] are older than 90 days ([1], [4]). **[9]**

- CIS 2.1.1 [Source 4]; NIST 800-53 (AC-3) [[2]]
- SOC 2 CC6.1 \\[3\\] and *[1]*.
"""

SLOPPY = """\
[9] The excess is £100[1] [9] . It is ( [1] ) clear[1],[2] that **theft [9]** is covered [1] , but * not * fire [ 2 ].
[1][2][3][4][1][2][3][4][1][2][3][4][1][2][3][4][1][2][3][4][1][2][3][4] all agree    [2]   .

[9]

[9] [8]
Ends here [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]. And an open one [1"""

PARENS = """\
The deposit is held for 30 days (1). It is returned in full unless the flat is damaged (2), in which case the cost \
of repairs is kept (1, 3). Interest is paid at the end (4).
"""

MESSY = """\
\t[1] tab, then\r\n[2] CRLF [9]\r\n\r\n\r\n```\r\n[1]\r\n```\r\n* [3] star\r\n+ plus [4]\r\n\r\n        deep [1]\r\n
`unclosed [1] tick

$unclosed [2] maths and \\( unclosed [3]

new paragraph [4] <sup [1] <sup>1 <code> [2]

end </code> [3] 🙂[1] e\u0301¹ \u200b[2] a\u00a0[3]\u3000[4]
"""

ANSWERS = {
    "insurance": INSURANCE,
    "natural": NATURAL,
    "openai": OPENAI,
    "academic": ACADEMIC,
    "code": CODE,
    "chinese": CHINESE,
    "japanese": JAPANESE,
    "thai": THAI,
    "arabic": ARABIC,
    "hindi": HINDI,
    "superscript": SUPERSCRIPT,
    "findings": FINDINGS,
    "sloppy": SLOPPY,
    "parens": PARENS,
    "messy": MESSY,
}
