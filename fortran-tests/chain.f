C     Chain of NLINK point masses, hung up at the origin and released
C     from the horizontal; total mass and length 1.  Reference by
C     extrapolation in quadruple precision; the energy is 0 throughout.
C
C     X = [ lambda | v | p ], masses in pairs (x,z)
C     RPAR: mass, length of a link, gravity
C
      PROGRAM CHAIN
      IMPLICIT NONE
      INTEGER          NLINK,NQ,N,M
      PARAMETER        (NLINK=10,NQ=2*NLINK,N=5*NLINK,M=7*NLINK)
      DOUBLE PRECISION LAMREF(10),VREF(20),PREF(20),ENERGY
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA PREF /
     #  4.350529668421670858D-03,-9.990531963616443396D-02,
     #  7.913687345986066764D-03,-1.998418190113417391D-01,
     #  1.128171798128724908D-02,-2.997850847656669412D-01,
     #  1.197314068200392871D-02,-3.997826944103426166D-01,
     #  1.165706022764034883D-02,-4.997821948748267845D-01,
     #  5.283036288088814779D-03,-5.995788472175683417D-01,
     # -2.306778824332823830D-03,-6.992904047550938305D-01,
     # -2.909136290639013477D-02,-7.956365829644613369D-01,
     # -5.952280944687757424D-02,-8.908937457473904485D-01,
     # -1.564015112930717173D-01,-9.156832017437655917D-01/
      DATA VREF /
     # -2.825967036410475613D-01,-1.230610489877758736D-02,
     # -6.672248195159852234D-01,-2.601971937052204296D-02,
     # -9.046357981340029499D-01,-3.402033294970872653D-02,
     # -1.409485583371601105D+00,-3.751106241019840125D-02,
     # -1.690200025336027080D+00,-3.662377449425478806D-02,
     # -2.351037979389364953D+00, 5.584023467082290859D-03,
     # -2.834938227202365209D+00, 4.241740070495659487D-02,
     # -3.764221229369168834D+00, 3.007614177709429106D-01,
     # -5.292374138208833943D+00, 7.889546642674524273D-01,
     # -5.857700834159305558D+00, 2.998285777894483943D+00/
      DATA LAMREF /
     #  1.048210885268982391D+02, 9.952376076176612104D+01,
     #  9.348923124631249155D+01, 8.720400186520760033D+01,
     #  7.968189187237768017D+01, 7.190228471892050650D+01,
     #  6.208122175061245065D+01, 5.207676464287673979D+01,
     #  3.862755553168898763D+01, 2.325655825913048278D+01/
      NGOOD=0
      NBAD=0
      RPAR(1)=1.D0/NLINK
      RPAR(2)=1.D0/NLINK
      RPAR(3)=9.81D0
      DO 50 K=1,4
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        IJAC=1
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        TOL=1.D-10
        IF (K.EQ.4) TOL=1.D-6
        IF (K.EQ.4) IOPT(11)=2
        DO 20 I=1,N
          X(I)=0.D0
   20   CONTINUE
        DO 30 I=1,NLINK
          X(NLINK+NQ+2*I-1)=DBLE(I)/NLINK
   30   CONTINUE
        TEND=0.5D0
        T=0.D0
        H=1.D-4
        IERR=0
        IDID=0
        CALL GEOMS(
     #    NQ,NQ,0,0,0,NLINK,0,0,M-NLINK*IOPT(5),N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Chain',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        IF (K.EQ.1) CALL JACCHK(NQ,NQ,0,0,0,NLINK,0,0,0.D0,X,
     #    IOPT,ROPT,EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,NLINK)
        WRITE(6,110) (X(NLINK+I),I=1,NQ)
        WRITE(6,120) (X(NLINK+NQ+I),I=1,NQ)
        CALL VERIFY('position',DEVMAX(NQ,X(NLINK+NQ+1),PREF),
     #              1.D2*TOL,NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(NQ,X(NLINK+1),VREF),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('multipliers',DEVMAX(NLINK,X,LAMREF),
     #              (1.D4+1.D6*IOPT(5))*TOL,NGOOD,NBAD)
        ENERGY=0.D0
        DO 40 I=1,NLINK
          ENERGY=ENERGY+RPAR(1)*((X(NLINK+2*I-1)**2
     #           +X(NLINK+2*I)**2)/2.D0+RPAR(3)*X(NLINK+NQ+2*I))
   40   CONTINUE
        CALL VERIFY('energy',ABS(ENERGY),1.D3*TOL,NGOOD,NBAD)
        CALL EOM(M-NLINK*IOPT(5),N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(2*NLINK,
     #              RDA(1+NLINK*(1-IOPT(5)))),TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',5F12.6/('          ',5F12.6))
  110 FORMAT('   v      ',4F13.8/('          ',4F13.8))
  120 FORMAT('   p      ',4F13.8/('          ',4F13.8))
      END
C
C     Link I: difference of its ends, positions (L=3) or velocities
C     (L=1), in units of NLINK behind which the block begins.
      SUBROUTINE ROD(NLINK,L,I,X,D)
      IMPLICIT NONE
      INTEGER          NLINK,L,I,K
      DOUBLE PRECISION X(*),D(2)
      K=L*NLINK+2*I
      D(1)=X(K-1)
      D(2)=X(K)
      IF (I.GT.1) THEN
        D(1)=D(1)-X(K-3)
        D(2)=D(2)-X(K-2)
      END IF
      RETURN
      END
C
C     Row of G times a vector in velocity space
      DOUBLE PRECISION FUNCTION GTIMES(I,D,A)
      IMPLICIT NONE
      INTEGER          I
      DOUBLE PRECISION D(2),A(*)
      GTIMES=2.D0*(D(1)*A(2*I-1)+D(2)*A(2*I))
      IF (I.GT.1) GTIMES=GTIMES-2.D0*(D(1)*A(2*I-3)+D(2)*A(2*I-2))
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION D(2),DV(2),GTIMES
      INTEGER          NLINK,I,K,L
      NLINK=N/5
      L=NLINK
      IF (IOPT(5).EQ.1) L=0
C     f_dyn behind gI and g, then f_kin
      K=L+2*NLINK
      DO 10 I=1,NLINK
        RDA(K+2*I-1)=0.D0
        RDA(K+2*I)=-RPAR(1)*RPAR(3)
   10 CONTINUE
      DO 20 I=1,NLINK
        CALL ROD(NLINK,3,I,X,D)
        RDA(K+2*I-1)=RDA(K+2*I-1)-2.D0*X(I)*D(1)
        RDA(K+2*I)=RDA(K+2*I)-2.D0*X(I)*D(2)
        IF (I.GT.1) THEN
          RDA(K+2*I-3)=RDA(K+2*I-3)+2.D0*X(I)*D(1)
          RDA(K+2*I-2)=RDA(K+2*I-2)+2.D0*X(I)*D(2)
        END IF
        RDA(L+NLINK+I)=D(1)**2+D(2)**2-RPAR(2)**2
        RDA(L+I)=GTIMES(I,D,X(NLINK+1))
   20 CONTINUE
      DO 30 I=1,2*NLINK
        RDA(K+2*NLINK+I)=X(NLINK+I)
   30 CONTINUE
      IF (L.EQ.0) RETURN
      DO 40 I=1,NLINK
        CALL ROD(NLINK,3,I,X,D)
        CALL ROD(NLINK,1,I,X,DV)
        RDA(I)=2.D0*(DV(1)**2+DV(2)**2)
     #         +GTIMES(I,D,RDA(K+1))/RPAR(1)
   40 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      INTEGER          I
      CALL CLEAR(M*N,MA)
      DO 10 I=1,N
        MA(I,I)=RPAR(1)
   10 CONTINUE
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      DOUBLE PRECISION D(2),DV(2),F(200),DF(2),LAM,GTIMES
      INTEGER          NLINK,I,J,K,J1,J2
      NLINK=N/5
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
C     Accelerations times mass, needed for gII
      DO 10 I=1,NLINK
        F(2*I-1)=0.D0
        F(2*I)=-RPAR(1)*RPAR(3)
   10 CONTINUE
      DO 30 I=1,NLINK
        CALL ROD(NLINK,3,I,X,D)
        CALL ROD(NLINK,1,I,X,DV)
        LAM=2.D0*X(I)
        DO 20 K=1,2
          J2=2*I-2+K
          J1=J2-2
          FX2(I,J2)=-2.D0*D(K)
          FX2(I,2*NLINK+J2)=-2.D0*DV(K)
          FX3(I,J2)=-2.D0*D(K)
          F(J2)=F(J2)-LAM*D(K)
          FX5(J2,I)=2.D0*D(K)
          FX5(J2,3*NLINK+J2)=FX5(J2,3*NLINK+J2)+LAM
          FX6(J2,J2)=-1.D0
          IF (I.GT.1) THEN
            FX2(I,J1)=2.D0*D(K)
            FX2(I,2*NLINK+J1)=2.D0*DV(K)
            FX3(I,J1)=2.D0*D(K)
            F(J1)=F(J1)+LAM*D(K)
            FX5(J1,I)=-2.D0*D(K)
            FX5(J1,3*NLINK+J1)=FX5(J1,3*NLINK+J1)+LAM
            FX5(J1,3*NLINK+J2)=FX5(J1,3*NLINK+J2)-LAM
            FX5(J2,3*NLINK+J1)=FX5(J2,3*NLINK+J1)-LAM
          END IF
   20   CONTINUE
   30 CONTINUE
      IF (M1.EQ.0) RETURN
      DO 60 I=1,NLINK
        CALL ROD(NLINK,3,I,X,D)
        CALL ROD(NLINK,1,I,X,DV)
C       Through the accelerations, then with these fixed
        DO 40 J=1,N
          FX1(I,J)=GTIMES(I,D,FX5(1,J))/RPAR(1)
   40   CONTINUE
        DO 50 K=1,2
          J2=2*I-2+K
          J1=J2-2
          DF(K)=F(J2)/RPAR(1)
          IF (I.GT.1) DF(K)=DF(K)-F(J1)/RPAR(1)
          FX1(I,NLINK+J2)=FX1(I,NLINK+J2)-4.D0*DV(K)
          FX1(I,3*NLINK+J2)=FX1(I,3*NLINK+J2)-2.D0*DF(K)
          IF (I.GT.1) THEN
            FX1(I,NLINK+J1)=FX1(I,NLINK+J1)+4.D0*DV(K)
            FX1(I,3*NLINK+J1)=FX1(I,3*NLINK+J1)+2.D0*DF(K)
          END IF
   50   CONTINUE
   60 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
C     The initial values are consistent: nothing to add.
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
