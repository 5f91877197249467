C     Parallel four-bar linkage in relative angles, cut at its last
C     joint (Tseng & Hulbert 2001, gluing algorithm, section 3.3), with
C     the torque -2*t on q1.  Exact: q1 = pi/2+2*pi*t-t**3/81,
C     q2 = 2*pi-q1, q3 = pi+q1.  The constraints lose rank where
C     sin(q1)=0, first near t=0.25: up to T=0.2 all must be well; later
C     a run ends with an error code or with the right answer.
C
C     X = [ lambda1 lambda2 | v1-v3 | q1-q3 ]
C
      PROGRAM FOURRE
      IMPLICIT NONE
      INTEGER          N,M,L
      PARAMETER        (N=8,M=12)
      DOUBLE PRECISION XEX(N),DEV
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      NGOOD=0
      NBAD=0
      DO 50 K=1,4
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IJAC=1
        TOL=1.D-10
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        IF (K.EQ.4) TOL=1.D-7
        IF (K.EQ.4) IOPT(11)=2
        TEND=0.2D0
        CALL EXACT(0.D0,X)
        CALL EXACT(TEND,XEX)
        IF (K.EQ.1) THEN
          CALL JACCHK(3,3,0,0,0,2,0,0,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          XEX(6)=XEX(6)+0.4D0
          XEX(3)=XEX(3)+0.7D0
          CALL JACCHK(3,3,0,0,0,2,0,0,0.2D0,XEX,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          CALL EXACT(TEND,XEX)
        END IF
        L=M-2*IOPT(5)
        T=0.D0
        H=1.D-4
        IERR=0
        IDID=0
        CALL GEOMS(
     #    3,3,0,0,0,2,0,0,L,N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Four-bar',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(3,X(6),XEX(6)),1.D2*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(3,X(3),XEX(3)),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('multipliers',DEVMAX(2,X,XEX),
     #              (1.D4+1.D6*IOPT(5))*TOL,NGOOD,NBAD)
        CALL EOM(L,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(4,RDA(L-9)),TOL,
     #              NGOOD,NBAD)
   50 CONTINUE
C     Through the singularity: what T was reached must be right there.
      DO 70 K=1,6
        DO 60 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   60   CONTINUE
        IOPT(11)=MOD(K-1,3)+1
        IOPT(6)=20000
        TOL=1.D-8
        IF (K.GE.4) IOPT(5)=1
        IF (K.EQ.6) TOL=1.D-5
        IF (K.EQ.6) IOPT(11)=1
        TEND=2.D0
        L=M-2*IOPT(5)
        CALL EXACT(0.D0,X)
        T=0.D0
        H=1.D-4
        IERR=0
        IDID=0
        CALL GEOMS(
     #    3,3,0,0,0,2,0,0,L,N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,1,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL EXACT(T,XEX)
        DEV=MAX(DEVMAX(3,X(6),XEX(6)),DEVMAX(3,X(3),XEX(3)))
        WRITE(6,110) IOPT(5),IOPT(11),TOL,IDID,T
        CALL VERIFY('error of the reached point',DEV,1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('success means TEND',DBLE(ABS(IDID))+T,
     #    DBLE(ABS(IDID))+TEND,NGOOD,NBAD)
   70 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',2F16.8/'   v      ',3F15.10/
     #       '   q      ',3F15.10)
  110 FORMAT(/' Through sin(q1)=0, FORM=',I1,' DECOMPC=',I1,' TOL=',
     #       E8.1,' : IDID=',I6,' T=',F5.2)
      END
C
C     The motion, and the multipliers from the rows of the coupler and
C     of the last crank
      SUBROUTINE EXACT(T,X)
      IMPLICIT NONE
      DOUBLE PRECISION T,X(8),PI,Q,QD,QDD
      PI=4.D0*ATAN(1.D0)
      Q=PI/2.D0+2.D0*PI*T-T**3/81.D0
      QD=2.D0*PI-T**2/27.D0
      QDD=-2.D0*T/27.D0
      X(2)=15.D0*(SIN(Q)*QD**2-COS(Q)*QDD)
      X(1)=(COS(Q)*X(2)+1.5D0*QDD)/SIN(Q)
      X(3)=QD
      X(4)=-QD
      X(5)=QD
      X(6)=Q
      X(7)=2.D0*PI-Q
      X(8)=PI+Q
      RETURN
      END
C
C     In absolute angles a = (q1,q1+q2,q1+q2+q3) the mass matrix is
C     CK(I,J)*cos(a_I-a_J), which takes in masses 10, 20, 10, moments of
C     inertia 1, 2, 1 and lengths 1, 2, 1.  A: mass matrix, F: force,
C     G: constraint matrix, SN, CS of the bars, W: rates, all absolute.
      SUBROUTINE MODEL(T,X,A,F,G,AN,W)
      IMPLICIT NONE
      DOUBLE PRECISION T,X(8),A(3,3),F(3),G(2,3),AN(3),W(3),CK(3,3),
     #                 EL(3)
      INTEGER          I,J
      COMMON /COEFF/   CK,EL
      AN(1)=X(6)
      AN(2)=X(6)+X(7)
      AN(3)=X(6)+X(7)+X(8)
      W(1)=X(3)
      W(2)=X(3)+X(4)
      W(3)=X(3)+X(4)+X(5)
      F(1)=-2.D0*T
      F(2)=0.D0
      F(3)=0.D0
      DO 20 I=1,3
        G(1,I)=-EL(I)*SIN(AN(I))
        G(2,I)=EL(I)*COS(AN(I))
        F(I)=F(I)-G(1,I)*X(1)-G(2,I)*X(2)
        DO 10 J=1,3
          A(I,J)=CK(I,J)*COS(AN(I)-AN(J))
          F(I)=F(I)-CK(I,J)*SIN(AN(I)-AN(J))*W(J)**2
   10   CONTINUE
   20 CONTINUE
      RETURN
      END
C
      BLOCK DATA
      DOUBLE PRECISION CK(3,3),EL(3)
      COMMON /COEFF/   CK,EL
      DATA CK /33.5D0,40.D0,5.D0,40.D0,62.D0,10.D0,5.D0,10.D0,3.5D0/
      DATA EL /1.D0,2.D0,1.D0/
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(3,3),F(3),G(2,3),AN(3),W(3),Y(3),CK(3,3),
     #                 EL(3)
      INTEGER          I,J,L
      COMMON /COEFF/   CK,EL
      CALL MODEL(T,X,A,F,G,AN,W)
      L=2
      IF (IOPT(5).EQ.1) L=0
C     gI | g
      RDA(L+1)=0.D0
      RDA(L+2)=0.D0
      RDA(L+3)=-EL(2)
      RDA(L+4)=0.D0
      DO 10 I=1,3
        RDA(L+1)=RDA(L+1)+G(1,I)*W(I)
        RDA(L+2)=RDA(L+2)+G(2,I)*W(I)
        RDA(L+3)=RDA(L+3)+G(2,I)
        RDA(L+4)=RDA(L+4)-G(1,I)
        Y(I)=F(I)
   10 CONTINUE
C     f_dyn | f_kin, relative
      RDA(L+7)=F(3)
      RDA(L+6)=F(2)+F(3)
      RDA(L+5)=F(1)+F(2)+F(3)
      DO 20 I=1,3
        RDA(L+7+I)=X(2+I)
   20 CONTINUE
      IF (L.EQ.0) RETURN
      CALL ELIMIN(3,1,A,3,Y,3)
      DO 40 J=1,2
        RDA(J)=0.D0
        DO 30 I=1,3
          RDA(J)=RDA(J)+G(J,I)*Y(I)
   30   CONTINUE
   40 CONTINUE
      DO 50 I=1,3
        RDA(1)=RDA(1)-G(2,I)*W(I)**2
        RDA(2)=RDA(2)+G(1,I)*W(I)**2
   50 CONTINUE
      RETURN
      END
C
C     M(I,J) is the sum of the absolute entries from (I,J) on.
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(3,3),F(3),G(2,3),AN(3),W(3)
      INTEGER          I,J
      CALL MODEL(T,X,A,F,G,AN,W)
      DO 20 J=3,1,-1
        DO 10 I=3,1,-1
          MA(I,J)=A(I,J)
          IF (I.LT.3) MA(I,J)=MA(I,J)+MA(I+1,J)
   10   CONTINUE
   20 CONTINUE
      DO 40 J=2,1,-1
        DO 30 I=1,3
          MA(I,J)=MA(I,J)+MA(I,J+1)
   30   CONTINUE
   40 CONTINUE
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
      DOUBLE PRECISION A(3,3),F(3),G(2,3),AN(3),W(3),ACC(3),CK(3,3),
     #                 EL(3),Y(3,8),S,C
      INTEGER          I,J,K
      COMMON /COEFF/   CK,EL
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      CALL MODEL(T,X,A,F,G,AN,W)
      DO 5 I=1,3
        ACC(I)=F(I)
    5 CONTINUE
      CALL ELIMIN(3,1,A,3,ACC,3)
      CALL MODEL(T,X,A,F,G,AN,W)
C     Everything by absolute angles and rates first; Y has in addition
C     to FX5 the derivative of M*ACC.
      DO 20 I=1,3
        FX5(I,1)=G(1,I)
        FX5(I,2)=G(2,I)
        FX5(I,5+I)=-G(2,I)*X(1)+G(1,I)*X(2)
        FX6(I,I)=-1.D0
        FX2(1,I)=-G(1,I)
        FX2(2,I)=-G(2,I)
        FX2(1,3+I)=G(2,I)*W(I)
        FX2(2,3+I)=-G(1,I)*W(I)
        FX3(1,I)=-G(1,I)
        FX3(2,I)=-G(2,I)
        DO 10 J=1,3
          S=CK(I,J)*SIN(AN(I)-AN(J))
          C=CK(I,J)*COS(AN(I)-AN(J))
          FX5(I,2+J)=2.D0*S*W(J)
          IF (I.NE.J) THEN
            FX5(I,5+I)=FX5(I,5+I)+C*W(J)**2
            FX5(I,5+J)=FX5(I,5+J)-C*W(J)**2
          END IF
   10   CONTINUE
   20 CONTINUE
      DO 40 I=1,3
        DO 25 K=1,8
          Y(I,K)=FX5(I,K)
   25   CONTINUE
        DO 30 J=1,3
          S=CK(I,J)*SIN(AN(I)-AN(J))*ACC(J)
          IF (I.NE.J) Y(I,5+I)=Y(I,5+I)-S
          IF (I.NE.J) Y(I,5+J)=Y(I,5+J)+S
   30   CONTINUE
   40 CONTINUE
      IF (M1.EQ.2) THEN
        CALL ELIMIN(3,8,A,3,Y,3)
        DO 70 J=1,2
          DO 60 K=1,8
            DO 50 I=1,3
              FX1(J,K)=FX1(J,K)+G(J,I)*Y(I,K)
   50       CONTINUE
   60     CONTINUE
   70   CONTINUE
        DO 80 I=1,3
          FX1(1,2+I)=FX1(1,2+I)+2.D0*G(2,I)*W(I)
          FX1(2,2+I)=FX1(2,2+I)-2.D0*G(1,I)*W(I)
          FX1(1,5+I)=FX1(1,5+I)+G(2,I)*ACC(I)+G(1,I)*W(I)**2
          FX1(2,5+I)=FX1(2,5+I)-G(1,I)*ACC(I)+G(2,I)*W(I)**2
   80   CONTINUE
      END IF
C     Now by relative ones: sums of columns, and of the rows of FX5
      CALL COLSUM(M1,FX1,3)
      CALL COLSUM(M1,FX1,6)
      CALL COLSUM(M2,FX2,1)
      CALL COLSUM(M2,FX2,4)
      CALL COLSUM(M3,FX3,1)
      CALL COLSUM(M5,FX5,3)
      CALL COLSUM(M5,FX5,6)
      DO 90 K=1,8
        FX5(2,K)=FX5(2,K)+FX5(3,K)
        FX5(1,K)=FX5(1,K)+FX5(2,K)
   90 CONTINUE
      RETURN
      END
C
C     Columns K, K+1, K+2: each becomes the sum from itself on.
      SUBROUTINE COLSUM(M,A,K)
      IMPLICIT NONE
      INTEGER          M,K,I
      DOUBLE PRECISION A(M,*)
      DO 10 I=1,M
        A(I,K+1)=A(I,K+1)+A(I,K+2)
        A(I,K)=A(I,K)+A(I,K+1)
   10 CONTINUE
      RETURN
      END
C
C     A*Y=B for K right-hand sides, by elimination; A and B are lost.
      SUBROUTINE ELIMIN(N,K,A,LDA,B,LDB)
      IMPLICIT NONE
      INTEGER          N,K,LDA,LDB,I,J,L,LP
      DOUBLE PRECISION A(LDA,*),B(LDB,*),F
      DO 50 L=1,N
        LP=L
        DO 10 I=L+1,N
          IF (ABS(A(I,L)).GT.ABS(A(LP,L))) LP=I
   10   CONTINUE
        DO 20 J=1,N
          F=A(L,J)
          A(L,J)=A(LP,J)
          A(LP,J)=F
   20   CONTINUE
        DO 25 J=1,K
          F=B(L,J)
          B(L,J)=B(LP,J)
          B(LP,J)=F
   25   CONTINUE
        DO 40 I=L+1,N
          F=A(I,L)/A(L,L)
          DO 30 J=L,N
            A(I,J)=A(I,J)-F*A(L,J)
   30     CONTINUE
          DO 35 J=1,K
            B(I,J)=B(I,J)-F*B(L,J)
   35     CONTINUE
   40   CONTINUE
   50 CONTINUE
      DO 80 J=1,K
        DO 70 L=N,1,-1
          DO 60 I=L+1,N
            B(L,J)=B(L,J)-A(L,I)*B(I,J)
   60     CONTINUE
          B(L,J)=B(L,J)/A(L,L)
   70   CONTINUE
   80 CONTINUE
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
