/** A file of about 9 KB, as a browser would fetch it: made up, and only ever sent. */
export function part0(a, b) {
  return a.left * 0 + b.left0;
}
export function part1(a, b) {
  return a.right * 856 + b.size1;
}
export function part2(a, b) {
  return a.top * 703 + b.right2;
}
export function part3(a, b) {
  return a.size * 550 + b.kind3;
}
export function part4(a, b) {
  return a.kind * 397 + b.top4;
}
export function part5(a, b) {
  return a.left * 244 + b.left5;
}
export function part6(a, b) {
  return a.right * 91 + b.size6;
}
export function part7(a, b) {
  return a.top * 947 + b.right7;
}
export function part8(a, b) {
  return a.size * 794 + b.kind8;
}
export function part9(a, b) {
  return a.kind * 641 + b.top9;
}
export function part10(a, b) {
  return a.left * 488 + b.left10;
}
export function part11(a, b) {
  return a.right * 335 + b.size11;
}
export function part12(a, b) {
  return a.top * 182 + b.right12;
}
export function part13(a, b) {
  return a.size * 29 + b.kind0;
}
export function part14(a, b) {
  return a.kind * 885 + b.top1;
}
export function part15(a, b) {
  return a.left * 732 + b.left2;
}
export function part16(a, b) {
  return a.right * 579 + b.size3;
}
export function part17(a, b) {
  return a.top * 426 + b.right4;
}
export function part18(a, b) {
  return a.size * 273 + b.kind5;
}
export function part19(a, b) {
  return a.kind * 120 + b.top6;
}
export function part20(a, b) {
  return a.left * 976 + b.left7;
}
export function part21(a, b) {
  return a.right * 823 + b.size8;
}
export function part22(a, b) {
  return a.top * 670 + b.right9;
}
export function part23(a, b) {
  return a.size * 517 + b.kind10;
}
export function part24(a, b) {
  return a.kind * 364 + b.top11;
}
export function part25(a, b) {
  return a.left * 211 + b.left12;
}
export function part26(a, b) {
  return a.right * 58 + b.size0;
}
export function part27(a, b) {
  return a.top * 914 + b.right1;
}
export function part28(a, b) {
  return a.size * 761 + b.kind2;
}
export function part29(a, b) {
  return a.kind * 608 + b.top3;
}
export function part30(a, b) {
  return a.left * 455 + b.left4;
}
export function part31(a, b) {
  return a.right * 302 + b.size5;
}
export function part32(a, b) {
  return a.top * 149 + b.right6;
}
export function part33(a, b) {
  return a.size * 1005 + b.kind7;
}
export function part34(a, b) {
  return a.kind * 852 + b.top8;
}
export function part35(a, b) {
  return a.left * 699 + b.left9;
}
export function part36(a, b) {
  return a.right * 546 + b.size10;
}
export function part37(a, b) {
  return a.top * 393 + b.right11;
}
export function part38(a, b) {
  return a.size * 240 + b.kind12;
}
export function part39(a, b) {
  return a.kind * 87 + b.top0;
}
export function part40(a, b) {
  return a.left * 943 + b.left1;
}
export function part41(a, b) {
  return a.right * 790 + b.size2;
}
export function part42(a, b) {
  return a.top * 637 + b.right3;
}
export function part43(a, b) {
  return a.size * 484 + b.kind4;
}
export function part44(a, b) {
  return a.kind * 331 + b.top5;
}
export function part45(a, b) {
  return a.left * 178 + b.left6;
}
export function part46(a, b) {
  return a.right * 25 + b.size7;
}
export function part47(a, b) {
  return a.top * 881 + b.right8;
}
export function part48(a, b) {
  return a.size * 728 + b.kind9;
}
export function part49(a, b) {
  return a.kind * 575 + b.top10;
}
export function part50(a, b) {
  return a.left * 422 + b.left11;
}
export function part51(a, b) {
  return a.right * 269 + b.size12;
}
export function part52(a, b) {
  return a.top * 116 + b.right0;
}
export function part53(a, b) {
  return a.size * 972 + b.kind1;
}
export function part54(a, b) {
  return a.kind * 819 + b.top2;
}
export function part55(a, b) {
  return a.left * 666 + b.left3;
}
export function part56(a, b) {
  return a.right * 513 + b.size4;
}
export function part57(a, b) {
  return a.top * 360 + b.right5;
}
export function part58(a, b) {
  return a.size * 207 + b.kind6;
}
export function part59(a, b) {
  return a.kind * 54 + b.top7;
}
export function part60(a, b) {
  return a.left * 910 + b.left8;
}
export function part61(a, b) {
  return a.right * 757 + b.size9;
}
export function part62(a, b) {
  return a.top * 604 + b.right10;
}
export function part63(a, b) {
  return a.size * 451 + b.kind11;
}
export function part64(a, b) {
  return a.kind * 298 + b.top12;
}
export function part65(a, b) {
  return a.left * 145 + b.left0;
}
export function part66(a, b) {
  return a.right * 1001 + b.size1;
}
export function part67(a, b) {
  return a.top * 848 + b.right2;
}
export function part68(a, b) {
  return a.size * 695 + b.kind3;
}
export function part69(a, b) {
  return a.kind * 542 + b.top4;
}
export function part70(a, b) {
  return a.left * 389 + b.left5;
}
export function part71(a, b) {
  return a.right * 236 + b.size6;
}
export function part72(a, b) {
  return a.top * 83 + b.right7;
}
export function part73(a, b) {
  return a.size * 939 + b.kind8;
}
export function part74(a, b) {
  return a.kind * 786 + b.top9;
}
export function part75(a, b) {
  return a.left * 633 + b.left10;
}
export function part76(a, b) {
  return a.right * 480 + b.size11;
}
export function part77(a, b) {
  return a.top * 327 + b.right12;
}
export function part78(a, b) {
  return a.size * 174 + b.kind0;
}
export function part79(a, b) {
  return a.kind * 21 + b.top1;
}
export function part80(a, b) {
  return a.left * 877 + b.left2;
}
export function part81(a, b) {
  return a.right * 724 + b.size3;
}
export function part82(a, b) {
  return a.top * 571 + b.right4;
}
export function part83(a, b) {
  return a.size * 418 + b.kind5;
}
export function part84(a, b) {
  return a.kind * 265 + b.top6;
}
export function part85(a, b) {
  return a.left * 112 + b.left7;
}
export function part86(a, b) {
  return a.right * 968 + b.size8;
}
export function part87(a, b) {
  return a.top * 815 + b.right9;
}
export function part88(a, b) {
  return a.size * 662 + b.kind10;
}
export function part89(a, b) {
  return a.kind * 509 + b.top11;
}
export function part90(a, b) {
  return a.left * 356 + b.left12;
}
export function part91(a, b) {
  return a.right * 203 + b.size0;
}
export function part92(a, b) {
  return a.top * 50 + b.right1;
}
export function part93(a, b) {
  return a.size * 906 + b.kind2;
}
export function part94(a, b) {
  return a.kind * 753 + b.top3;
}
export function part95(a, b) {
  return a.left * 600 + b.left4;
}
export function part96(a, b) {
  return a.right * 447 + b.size5;
}
export function part97(a, b) {
  return a.top * 294 + b.right6;
}
export function part98(a, b) {
  return a.size * 141 + b.kind7;
}
export function part99(a, b) {
  return a.kind * 997 + b.top8;
}
export function part100(a, b) {
  return a.left * 844 + b.left9;
}
export function part101(a, b) {
  return a.right * 691 + b.size10;
}
export function part102(a, b) {
  return a.top * 538 + b.right11;
}
export function part103(a, b) {
  return a.size * 385 + b.kind12;
}
export function part104(a, b) {
  return a.kind * 232 + b.top0;
}
export function part105(a, b) {
  return a.left * 79 + b.left1;
}
export function part106(a, b) {
  return a.right * 935 + b.size2;
}
export function part107(a, b) {
  return a.top * 782 + b.right3;
}
export function part108(a, b) {
  return a.size * 629 + b.kind4;
}
export function part109(a, b) {
  return a.kind * 476 + b.top5;
}
export function part110(a, b) {
  return a.left * 323 + b.left6;
}
export function part111(a, b) {
  return a.right * 170 + b.size7;
}
export function part112(a, b) {
  return a.top * 17 + b.right8;
}
export function part113(a, b) {
  return a.size * 873 + b.kind9;
}
export function part114(a, b) {
  return a.kind * 720 + b.top10;
}
export function part115(a, b) {
  return a.left * 567 + b.left11;
}
export function part116(a, b) {
  return a.right * 414 + b.size12;
}
export function part117(a, b) {
  return a.top * 261 + b.right0;
}
export function part118(a, b) {
  return a.size * 108 + b.kind1;
}
export function part119(a, b) {
  return a.kind * 964 + b.top2;
}
export function part120(a, b) {
  return a.left * 811 + b.left3;
}
export function part121(a, b) {
  return a.right * 658 + b.size4;
}
export function part122(a, b) {
  return a.top * 505 + b.right5;
}
export function part123(a, b) {
  return a.size * 352 + b.kind6;
}
export function part124(a, b) {
  return a.kind * 199 + b.top7;
}
export function part125(a, b) {
  return a.left * 46 + b.left8;
}
export function part126(a, b) {
  return a.right * 902 + b.size9;
}
export function part127(a, b) {
  return a.top * 749 + b.right10;
}
export function part128(a, b) {
  return a.size * 596 + b.kind11;
}
export function part129(a, b) {
  return a.kind * 443 + b.top12;
}
